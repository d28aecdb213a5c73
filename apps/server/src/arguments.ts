/** The arguments of a command, sorted. */
export interface Arguments {
  readonly words: readonly string[]
  readonly options: ReadonlyMap<string, string>
  readonly flags: ReadonlySet<string>
}

/** The command line makes no sense: the process ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Sorts arguments by the options that a command takes. Throws a UsageError. */
export function parseArguments(
  args: readonly string[],
  known: { readonly options: readonly string[]; readonly flags: readonly string[] },
): Arguments {
  const options = new Map<string, string>()
  const flags = new Set<string>()
  const words: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (!arg.startsWith('-')) words.push(arg)
    else if (known.flags.includes(arg.slice(2))) flags.add(arg.slice(2))
    else at += takeOption(arg, args[at + 1], known.options, options)
  }
  return { options, flags, words }
}

/** The one of `given` that there has to be. Throws a UsageError where there is none, or another. */
export function only(given: readonly string[], what: string): string {
  const [first, second] = given
  if (first === undefined) throw new UsageError(`a ${what} is needed`)
  if (second !== undefined) throw new UsageError(`one ${what} is enough; '${second}' is one too many`)
  return first
}

/** The configuration file, named by an option or as a word. Throws a UsageError. */
export function configurationFile({ options, words }: Arguments): string {
  const named = options.get('config')
  return only(named === undefined ? words : [named, ...words], 'configuration file')
}

/** Takes `--name value` or `--name=value`; answers how many further arguments that used. */
function takeOption(
  arg: string,
  next: string | undefined,
  known: readonly string[],
  options: Map<string, string>,
): 0 | 1 {
  const [, name = '', , inline] = /^--([a-z-]+)(=(.*))?$/.exec(arg) ?? []
  if (!known.includes(name)) throw new UsageError(`there is no option '${arg}'`)
  const value = inline ?? next
  if (value === undefined) throw new UsageError(`'--${name}' needs a value`)
  options.set(name, value)
  return inline === undefined ? 1 : 0
}
