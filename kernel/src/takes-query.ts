import type { Action } from './action.ts'

/** Whether the input of an action is what the query and the path say: of one that only reads, or whose body is no value. */
export const takesQuery = ({ bind, rawBody, routes = [] }: Action): boolean =>
  bind === undefined &&
  (rawBody !== undefined || (routes.length > 0 && routes.every((route) => route.startsWith('GET '))))
