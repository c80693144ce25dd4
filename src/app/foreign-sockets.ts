import { ownSetting } from '@signalman/durable'

/** The number of sockets that another deployment has opened with the same app-level token. Stored for `doctor`. */
export const FOREIGN_SOCKETS = ownSetting<number>('slack.foreign-sockets')
