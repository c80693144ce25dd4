import { ACCESS_ACTS } from './access-acts.ts'
import type { ActKind } from './act-kind.ts'
import { CHECK_ACTS } from './check-acts.ts'
import { JOB_ACTS } from './job-acts.ts'
import { ORDER_ACTS } from './order-acts.ts'
import { THREAT_ACTS } from './threat-acts.ts'
import { WATCHING_ACTS } from './watching-acts.ts'

export const ACT_KINDS: readonly ActKind[] = [
  ...CHECK_ACTS,
  ...JOB_ACTS,
  ...ACCESS_ACTS,
  ...ORDER_ACTS,
  ...WATCHING_ACTS,
  ...THREAT_ACTS,
]
