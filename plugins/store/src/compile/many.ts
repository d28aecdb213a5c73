/** Lists of more values are statements of their own. */
const MANY = 100

/**
 * Whether a list is long: a plan that is kept for lists of any length takes each for a short one, which may be compared
 * with every row value by value.
 */
export const isMany = ({ length }: readonly unknown[]): boolean => length > MANY
