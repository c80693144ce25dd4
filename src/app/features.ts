// This folder builds the app from its parts: the store, the bot, every feature, and the HTTP server.

import type { Feature } from '../bot/feature.ts'
import { access } from '../features/access/feature.ts'
import { alerts } from '../features/alerts/feature.ts'
import { audit } from '../features/audit/feature.ts'
import { certOrders } from '../features/cert-orders/feature.ts'
import { connection } from '../features/connection/feature.ts'
import { healthChecks } from '../features/health-checks/feature.ts'
import { help } from '../features/help/feature.ts'
import { home } from '../features/home/feature.ts'
import { threats } from '../features/threats/feature.ts'
import { watching } from '../features/watching/feature.ts'

/** Every feature, in the order of the help and the generated pages. No other file of `src/app` imports them. */
export const FEATURES = [
  healthChecks,
  alerts,
  watching,
  connection,
  threats,
  certOrders,
  access,
  audit,
  home,
  help,
] as const

/** The rows that a feature adds to the store. */
type InferRows<F> = F extends Feature<infer Rows> ? Rows : never
/** Turns a union into an intersection. */
type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer All) => void
  ? All
  : never

export type FeatureRows = Intersection<InferRows<(typeof FEATURES)[number]>>
