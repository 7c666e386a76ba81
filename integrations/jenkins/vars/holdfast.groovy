/*
 * Holds a resource while a block of a pipeline runs (README.md). One branch runs `holdfast run` until the block has
 * ended; the other one waits until the resource is held, and runs the block. If the lease is lost, the first branch
 * fails, and Jenkins ends the block.
 */
def call(Map options, Closure body) {
  def known = ['resource', 'match', 'quantity', 'count', 'mode', 'wait', 'ttl', 'priority', 'note']
  for (name in options.keySet()) {
    if (!known.contains(name)) {
      error("holdfast: ${name} is not an option; there are ${known.join(', ')}")
    }
  }
  if ("${options.resource ?: ''}".startsWith('-')) {
    error('holdfast: the name of a resource does not begin with -')
  }
  def folder = "${pwd(tmp: true)}/holdfast-${UUID.randomUUID()}"
  // Options are variables, so that none becomes text of a shell.
  def settings = ["HOLDFAST_STEP_FOLDER=${folder}".toString()]
  for (name in known) {
    settings.add("HOLDFAST_STEP_${name.toUpperCase()}=${options[name] ?: ''}".toString())
  }
  writeFile(file: "${folder}/begun", text: '')
  parallel(
    failFast: true,
    holdfast: {
      withEnv(settings) {
        sh(label: 'Hold it until the block has ended', script: HOLD())
      }
    },
    block: {
      try {
        withEnv(settings) {
          sh(label: 'Wait until it is held', script: 'set +x; until [ -e "$HOLDFAST_STEP_FOLDER/held" ]; do sleep 1; done')
        }
        def variables = readFile(file: "${folder}/held").split('\0') as List
        withEnv(variables) {
          body()
        }
      } finally {
        writeFile(file: "${folder}/done", text: '')
      }
    }
  )
}

/* The command of `holdfast run` tells what is held, and ends when the block has. */
private String HOLD() {
  return '''set +x
if [ "$HOLDFAST_STEP_MODE" = shared ]; then set -- --shared; else set --; fi
exec holdfast run "$@" "--note=${HOLDFAST_STEP_NOTE:-$BUILD_URL}" \\
  ${HOLDFAST_STEP_WAIT:+"--wait=$HOLDFAST_STEP_WAIT"} \\
  ${HOLDFAST_STEP_TTL:+"--ttl=$HOLDFAST_STEP_TTL"} \\
  ${HOLDFAST_STEP_MATCH:+"--match=$HOLDFAST_STEP_MATCH"} \\
  ${HOLDFAST_STEP_QUANTITY:+"--quantity=$HOLDFAST_STEP_QUANTITY"} \\
  ${HOLDFAST_STEP_COUNT:+"--count=$HOLDFAST_STEP_COUNT"} \\
  ${HOLDFAST_STEP_PRIORITY:+"--priority=$HOLDFAST_STEP_PRIORITY"} \\
  ${HOLDFAST_STEP_RESOURCE:+"$HOLDFAST_STEP_RESOURCE"} -- node -e '
const { existsSync, renameSync, writeFileSync } = require("node:fs");
const folder = process.env.HOLDFAST_STEP_FOLDER;
const isHeld = ([name]) => /^HOLDFAST_(RESOURCE|SLOTS|FENCING_TOKEN|REQUESTER|RUN|ATTR_.*)$/.test(name);
const lines = Object.entries(process.env).filter(isHeld).map(([name, value]) => `${name}=${value}`);
writeFileSync(`${folder}/new`, lines.join(String.fromCharCode(0)));
renameSync(`${folder}/new`, `${folder}/held`);
setInterval(() => existsSync(`${folder}/done`) && process.exit(), 200);
'
'''
}
