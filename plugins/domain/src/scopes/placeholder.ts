import { type Operand, refusal, type ScopeBinding, valueOperand } from './operand.ts'

/** What a filter may ask of its caller. */
const PLACEHOLDERS: ReadonlyMap<string, (binding: ScopeBinding) => string | number | boolean | null> =
  new Map([
    ['currentUserId', ({ caller }: ScopeBinding) => caller.id],
    ['currentUserDepartmentId', ({ caller }: ScopeBinding) => scalarOrNull(caller.claims['departmentId'])],
  ])

/** The operand of a placeholder, without its colon. */
export function placeholder(name: string, offset: number): Operand {
  const read = PLACEHOLDERS.get(name)
  if (read !== undefined) return valueOperand(undefined, offset, read)
  throw refusal(
    offset,
    `there is no placeholder ':${name}'`,
    `use ${[...PLACEHOLDERS.keys()].map((known) => `:${known}`).join(' or ')}`,
  )
}

const scalarOrNull = (value: unknown): string | number | boolean | null =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
