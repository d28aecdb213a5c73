/** Whether somebody has promised a value, by whatever kind of promise, and it is still to be waited for. */
export const isPending = (value: unknown): value is PromiseLike<unknown> =>
  value instanceof Promise || (typeof value === 'object' && value !== null && 'then' in value)
