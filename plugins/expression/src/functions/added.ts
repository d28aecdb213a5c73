import { isCrossingName } from '../names.ts'
import { parseExpression } from '../syntax/parse.ts'
import { isGatheringName } from '../route.ts'
import { FUNCTIONS } from './functions.ts'

/** Throws unless a plugin may give a function this name: one that can be called, and that the language has not. */
export function assertAddable(name: string): void {
  if (FUNCTIONS.has(name) || isGatheringName(name) || isCrossingName(name))
    throw new Error(`the language has a function '${name}' already`)
  if (!/^[A-Za-z_]\w{0,62}$/.test(name) || !isCall(name))
    throw new Error(
      `'${name}' cannot be called: a function's name is letters, digits and _, and no word of the language`,
    )
}

function isCall(name: string): boolean {
  try {
    return parseExpression(`${name}(1)`).kind === 'call'
  } catch {
    return false
  }
}
