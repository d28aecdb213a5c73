/** Lists of more values are planned for what they hold. */
const MANY = 100

/**
 * Whether a list is long: a plan that a server keeps for lists of any length takes each for a short one, and compares
 * rows with its values one by one.
 */
export const isMany = ({ length }: readonly unknown[]): boolean => length > MANY
