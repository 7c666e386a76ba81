/**
 * Reads the names of a Lua script: those used without a definition, those assigned as globals, and those defined in
 * vain. Redis refuses globals only when the line runs, and tells nothing of a function that no code reaches.
 */
import { type Identifier, type Node, parse, type Statement } from 'luaparse';

/** Lua 5.1 and Redis, as far as scripts use them. */
const GLOBALS = new Set(
  `ARGV KEYS redis cjson cmsgpack struct bit math string table
   error ipairs next pairs pcall select setmetatable tonumber tostring type unpack`.split(/\s+/),
);

interface Name {
  readonly text: string;
  readonly line: number;
  /** The named function in whose body it is defined. */
  readonly owner: Name | null;
  /** Names that its function body uses, if it is a function. */
  readonly uses: Set<Name>;
}

interface Scope {
  readonly names: Map<string, Name>;
  readonly above: Scope | null;
}

export interface LuaNames {
  /** Used or assigned, and not defined before: `name (line)`. */
  readonly missing: string[];
  /** Locals that the script never reads, and functions that it never reaches. */
  readonly unused: string[];
}

/** @throws SyntaxError if it is no Lua 5.1 */
export function readNames(lua: string): LuaNames {
  const chunk = parse(lua, { locations: true, luaVersion: '5.1' });
  const reader = new Reader();
  reader.block(chunk.body, null);
  return reader.result();
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const isName = (node: Node): node is Identifier => node.type === 'Identifier';

class Reader {
  readonly #all: Name[] = [];
  readonly #missing: string[] = [];
  /** Names that code outside named functions uses. */
  readonly #roots = new Set<Name>();
  #user = this.#roots;
  #owner: Name | null = null;

  result(): LuaNames {
    const reached = new Set(this.#roots);
    for (const name of reached) for (const used of name.uses) reached.add(used);
    // What an unused function defines goes with it.
    const isUnused = (name: Name) =>
      !reached.has(name) && name.text !== '_' && (name.owner === null || reached.has(name.owner));
    const unused = this.#all.filter(isUnused);
    return { missing: this.#missing, unused: unused.map(({ text, line }) => `${text} (${line})`) };
  }

  block(body: readonly Statement[], above: Scope | null, names: readonly Identifier[] = []): void {
    const scope: Scope = { names: new Map(), above };
    for (const name of names) this.#define(scope, name);
    for (const statement of body) this.#statement(statement, scope);
  }

  #define(scope: Scope, { name, loc }: Identifier): Name {
    const found: Name = { text: name, line: loc?.start.line ?? 0, owner: this.#owner, uses: new Set() };
    scope.names.set(name, found);
    this.#all.push(found);
    return found;
  }

  #find(scope: Scope | null, { name, loc }: Identifier): Name | null {
    for (let at = scope; at !== null; at = at.above) {
      const found = at.names.get(name);
      if (found !== undefined) return found;
    }
    if (!GLOBALS.has(name)) this.#missing.push(`${name} (${loc?.start.line})`);
    return null;
  }

  /** What a function uses counts only once the function itself is used. */
  #within(owner: Name | null, read: () => void): void {
    const [user, ownerBefore] = [this.#user, this.#owner];
    if (owner !== null) [this.#user, this.#owner] = [owner.uses, owner];
    read();
    [this.#user, this.#owner] = [user, ownerBefore];
  }

  #statement(node: Statement, scope: Scope): void {
    switch (node.type) {
      case 'LocalStatement': {
        const [value] = node.init;
        const isFunction = node.variables.length === 1 && value?.type === 'FunctionDeclaration';
        if (!isFunction) for (const one of node.init) this.#expression(one, scope);
        const names = node.variables.map((name) => this.#define(scope, name));
        if (isFunction) this.#within(names[0] ?? null, () => this.#expression(value, scope));
        return;
      }
      case 'FunctionDeclaration': {
        if (node.identifier?.type !== 'Identifier') {
          this.#expression(node, scope);
          return;
        }
        const owner = node.isLocal ? this.#define(scope, node.identifier) : this.#find(scope, node.identifier);
        this.#within(owner, () => this.#body(node, scope));
        return;
      }
      case 'AssignmentStatement':
        for (const one of node.init) this.#expression(one, scope);
        // To assign is not to use.
        for (const one of node.variables)
          one.type === 'Identifier' ? this.#find(scope, one) : this.#expression(one, scope);
        return;
      case 'ForNumericStatement':
        for (const one of [node.start, node.end, node.step]) if (one !== null) this.#expression(one, scope);
        this.block(node.body, scope, [node.variable]);
        return;
      case 'ForGenericStatement':
        for (const one of node.iterators) this.#expression(one, scope);
        this.block(node.body, scope, node.variables);
        return;
      case 'RepeatStatement':
        // The condition sees the locals of the body.
        this.block([...node.body, { type: 'ReturnStatement', arguments: [node.condition] }], scope);
        return;
      case 'IfStatement':
        for (const clause of node.clauses) {
          if (clause.type !== 'ElseClause') this.#expression(clause.condition, scope);
          this.block(clause.body, scope);
        }
        return;
      case 'WhileStatement':
        this.#expression(node.condition, scope);
        this.block(node.body, scope);
        return;
      case 'DoStatement':
        this.block(node.body, scope);
        return;
      default:
        this.#children(node, scope);
    }
  }

  #expression(node: Node, scope: Scope): void {
    if (node.type === 'Identifier') {
      const found = this.#find(scope, node);
      if (found !== null) this.#user.add(found);
    } else if (node.type === 'FunctionDeclaration') {
      this.#body(node, scope);
    } else if (node.type === 'MemberExpression') {
      this.#expression(node.base, scope);
    } else {
      this.#children(node, scope);
    }
  }

  #body({ parameters, body }: { parameters: readonly Node[]; body: Statement[] }, scope: Scope): void {
    this.block(body, scope, parameters.filter(isName));
  }

  /** Reads every expression below a node: keys and members that are plain words are not names. */
  #children(node: Node, scope: Scope): void {
    for (const [field, value] of Object.entries(node)) {
      if (node.type === 'TableKeyString' && field === 'key') continue;
      for (const one of Array.isArray(value) ? value : [value]) {
        if (isNode(one)) this.#expression(one, scope);
      }
    }
  }
}
