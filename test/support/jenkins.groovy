/*
 * Stands for Jenkins: the steps that integrations/jenkins uses, with branches as threads and sh as a process.
 * Arguments: the file of the step, and the folder of the workspace. stdin is the pipeline.
 */
import java.util.concurrent.*

def workspace = new File(args[1])
def environment = new InheritableThreadLocal<Map>()
environment.set([:])

def steps = [
  pwd: { Map options -> new File(workspace, 'tmp').path },
  error: { message -> throw new RuntimeException(message.toString()) },
  echo: { message -> println(message); System.out.flush() },
  writeFile: { Map options -> def file = new File(options.file.toString()); file.parentFile.mkdirs(); file.text = options.text },
  readFile: { Map options -> new File(options.file.toString()).text },
  withEnv: { List more, Closure body ->
    def before = environment.get()
    environment.set(before + more.collectEntries { [(it.substring(0, it.indexOf('='))): it.substring(it.indexOf('=') + 1)] })
    try { body() } finally { environment.set(before) }
  },
  sh: { options ->
    def script = options instanceof Map ? options.script : options
    def builder = new ProcessBuilder('sh', '-xe', '-c', script.toString()).directory(workspace).inheritIO()
    builder.environment().putAll(environment.get())
    def process = builder.start()
    try {
      def code = process.waitFor()
      if (code != 0) throw new RuntimeException("script returned exit code ${code}")
    } catch (InterruptedException stopped) {
      def all = [process.toHandle()] + process.descendants().collect { it }
      all.each { it.destroy() }
      process.waitFor()
      throw stopped
    }
  },
  parallel: { Map branches ->
    def pool = Executors.newCachedThreadPool()
    def done = new ExecutorCompletionService(pool)
    def inherited = environment.get()
    def running = branches.findAll { it.value instanceof Closure }.collect { name, branch ->
      done.submit({ environment.set(inherited); branch() } as Callable)
    }
    def first = null
    running.each {
      try { done.take().get() } catch (ExecutionException failed) {
        if (first == null && branches.failFast) pool.shutdownNow()
        first = first ?: failed.cause
      }
    }
    pool.shutdown()
    if (first != null) throw first
  }
]

def binding = new Binding(steps)
def shell = new GroovyShell(binding)
def step = shell.parse(new File(args[0]))
steps.each { name, closure -> step.metaClass."$name" = closure }
binding.setVariable('holdfast', { Map options, Closure body -> step.call(options, body) })
try {
  shell.evaluate(System.in.text)
} catch (Throwable failed) {
  println("FAILED ${failed.message}")
  System.exit(1)
}
System.exit(0)
