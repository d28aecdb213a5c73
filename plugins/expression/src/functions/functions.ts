import type { Vocabulary } from '../vocabulary.ts'
import { DATE_FUNCTIONS } from './dates.ts'
import type { ExpressionFunction } from './function.ts'
import { LIST_FUNCTIONS } from './lists.ts'
import { NULL_FUNCTIONS } from './nulls.ts'
import { NUMBER_FUNCTIONS } from './numbers.ts'
import { PERMISSION_FUNCTIONS } from './permission.ts'
import { TEXT_FUNCTIONS } from './texts.ts'

/** Every function that the language has in all places, by name. */
export const FUNCTIONS: ReadonlyMap<string, ExpressionFunction> = new Map<string, ExpressionFunction>(
  Object.entries({
    ...PERMISSION_FUNCTIONS,
    ...TEXT_FUNCTIONS,
    ...NUMBER_FUNCTIONS,
    ...LIST_FUNCTIONS,
    ...DATE_FUNCTIONS,
    ...NULL_FUNCTIONS,
  }),
)

/** Finds a function that can be called in the place. */
export const findFunction = (name: string, { functions }: Vocabulary): ExpressionFunction | undefined =>
  FUNCTIONS.get(name) ?? functions?.get(name)

/** The names of all functions that can be called in the place. */
export const functionNames = ({ functions }: Vocabulary): readonly string[] => [
  ...FUNCTIONS.keys(),
  ...(functions?.keys() ?? []),
]
