import { capability } from '@svc/kernel'

/** Messages that definitions raise: outbox, channels, dispatch log. */
export type Notifications = object

/** The server's notifications. */
export const NotificationsCapability = capability<Notifications>('notifications')
