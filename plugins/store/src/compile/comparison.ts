/** Each comparison and its opposite. */
export const OPERATORS = {
  eq: ['=', '<>'],
  ne: ['<>', '='],
  lt: ['<', '>='],
  lte: ['<=', '>'],
  gt: ['>', '<='],
  gte: ['>=', '<'],
} as const satisfies Record<string, readonly [holds: string, fails: string]>

/** What holds of the beginnings of texts for which a comparison holds; an index finds those. */
export const OF_BEGINNINGS = {
  '=': '=',
  '<': '<=',
  '<=': '<=',
  '>': '>=',
  '>=': '>=',
  '<>': undefined,
} as const

/** Whether an index can find the rows for which a comparison holds. */
export const isFound = (op: keyof typeof OPERATORS, negated: boolean): boolean =>
  OF_BEGINNINGS[OPERATORS[op][negated ? 1 : 0]] !== undefined
