/** What bounds the cost of an expression, whoever wrote it and whatever the record holds. */
export const LIMITS = Object.freeze({
  /** UTF-16 units of source text. */
  characters: 10_000,
  /** Parentheses, lists, calls and right-hand sides inside one another. */
  nesting: 64,
  /** Nodes of one syntax tree. */
  nodes: 2_000,
  /** Nodes from the root of a syntax tree to its furthest leaf: whoever walks the tree may recurse. */
  height: 250,
  /** UTF-16 units of a text that an expression makes; a longer one is null. */
  text: 1_048_576,
  /** Items of a list that an expression makes; a longer one is null. */
  items: 10_000,
  /** Relations one after the other from the record to what is read. */
  steps: 3,
  /** Paths to related records and functions over lists of them. */
  reaching: 20,
  /** Calls that look into records of any resource. */
  crossings: 20,
  /** UTF-16 units of a regular expression. */
  pattern: 1_000,
  /** Instructions of a compiled regular expression. */
  patternProgram: 1_000,
  /** Instructions times UTF-16 units of one match; a dearer one is null. About 0.2 s at worst. */
  matchSteps: 100_000_000,
  /** UTF-16 units that the functions of one evaluation look at together; whatever comes after them is null. */
  work: 8_388_608,
})
