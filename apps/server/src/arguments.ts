import { parseArgs } from 'node:util'
import { nearest } from '@svc/kernel'

/** Something that may be said with `--name`. */
export interface Option {
  /** What the value is, as the help shows it; an option without one is a flag. */
  readonly takes?: string
  readonly about: string
}

export type Options = Readonly<Record<string, Option>>

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
export function parseArguments(args: readonly string[], known: Options): Arguments {
  const types = Object.entries(known).map(([name, { takes }]) => [
    name,
    { type: takes === undefined ? ('boolean' as const) : ('string' as const) },
  ])
  // Strictness is ours: the platform's own messages tell how it works, not what to do.
  const { tokens, positionals: words } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const options = new Map<string, string>()
  const flags = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = Object.hasOwn(known, name) && rawName.startsWith('--') ? known[name] : undefined
    if (option === undefined) throw unknownOption(rawName, Object.keys(known))
    if (option.takes === undefined) flags.add(flag(rawName, name, value))
    else options.set(name, valueOf(rawName, value, inlineValue))
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

function unknownOption(rawName: string, known: readonly string[]): UsageError {
  const meant = nearest(rawName.replace(/^-+/, ''), known)
  return new UsageError(`there is no option '${rawName}'${meant ? ` (did you mean '--${meant}'?)` : ''}`)
}

function flag(rawName: string, name: string, value: string | undefined): string {
  if (value !== undefined) throw new UsageError(`'${rawName}' takes no value`)
  return name
}

/** What begins like an option is none's value, unless it is written with an equals sign. */
function valueOf(rawName: string, value: string | undefined, isInline: boolean | undefined): string {
  if (value === undefined || value === '' || (value.startsWith('-') && isInline !== true))
    throw new UsageError(`'${rawName}' needs a value`)
  return value
}
