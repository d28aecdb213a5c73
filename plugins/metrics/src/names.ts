/** Stands before the name of every metric. */
export const PREFIX = 'svc_'
