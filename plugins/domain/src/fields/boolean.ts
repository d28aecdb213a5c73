import { refusal } from './check/rule.ts'
import { scalarType } from './scalar-type.ts'

const WRONG = refusal('type.boolean')
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** True or false. */
export const boolean = scalarType<boolean>({
  name: 'boolean',
  aliases: ['bool'],
  column: 'boolean',
  uses: [],
  operators: ['eq', 'ne', 'in', 'null'],
  read: (value) => (typeof value === 'boolean' ? value : WRONG),
  rules: () => [],
  parseText: (text) => WORDS.get(text),
  openapi: () => ({ type: 'boolean' }),
})
