import { capability } from '@svc/kernel'

/** What happened to records, kept as long as somebody has still to hear it. */
export type Events = object

/** The server's events. */
export const EventsCapability = capability<Events>('events')
