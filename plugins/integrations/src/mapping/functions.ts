import { randomUUID } from 'node:crypto'
import { defineFunction, type ExpressionFunction } from '@svc/expression/contract'

/** A number as JSON writes it (RFC 8259, section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** What mappings may call besides the functions of the language. */
export const MAPPING_FUNCTIONS: ReadonlyMap<string, ExpressionFunction> = new Map([
  ['toUpper', defineFunction({ takes: ['text'], gives: 'text', evaluate: ([text]) => text.toUpperCase() })],
  ['toLower', defineFunction({ takes: ['text'], gives: 'text', evaluate: ([text]) => text.toLowerCase() })],
  [
    'toNumber',
    defineFunction({
      takes: ['scalar'],
      gives: 'number',
      evaluate: ([text]) => (NUMBER.test(text.trim()) ? Number(text) : null),
    }),
  ],
  ['uuid', defineFunction({ takes: [], gives: 'text', evaluate: () => randomUUID() })],
])
