import { nearest } from '@svc/kernel'
import type { Name, Variable } from '../syntax/ast.ts'
import { didYouMean } from '../fault.ts'
import { knownNames } from '../names.ts'
import type { Vocabulary } from '../vocabulary.ts'

/** What was probably meant by an unknown name: a field is not written as a variable is. */
export function meantBy({ kind, name }: Name | Variable, vocabulary: Vocabulary): string | undefined {
  if (kind === 'variable' && vocabulary.fields?.has(name) === true) return didYouMean(`$record.${name}`)
  if (kind === 'name' && vocabulary.variables?.has(name) === true) return didYouMean(`$${name}`)
  const written = kind === 'variable' ? `$${name}` : name
  return didYouMean(nearest(written, knownNames(kind, vocabulary)))
}

/** The member that was probably meant; a name with a hyphen would read as a difference. */
export function meantMember(name: string, known: Iterable<string>): string | undefined {
  const names = [...known]
  const meant = nearest(name, names) ?? names.find((one) => one.startsWith(`${name}-`))
  return meant === undefined || /^[A-Za-z_]\w*$/.test(meant) ? didYouMean(meant) : didYouMean(`['${meant}']`)
}
