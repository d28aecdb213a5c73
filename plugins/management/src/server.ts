import type { Context } from '@svc/kernel'

/** The part of the server that commands look at. */
export type Server = Pick<Context, 'actions' | 'host' | 'log'>
