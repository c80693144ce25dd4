import { acknowledging } from './measures/acknowledging.ts'
import { eventLoop } from './measures/event-loop.ts'
import { fairness } from './measures/fairness.ts'
import { helpAnswered } from './measures/help-answered.ts'
import { hundredThousand } from './measures/hundred-thousand.ts'
import { listing } from './measures/listing.ts'
import { manyWorkspaces } from './measures/many-workspaces.ts'
import { pageRead } from './measures/page-read.ts'
import { postgresReads } from './measures/postgres-reads.ts'
import { readsWrite } from './measures/reads-write.ts'
import { slowPeers } from './measures/slow-peers.ts'
import { starting } from './measures/starting.ts'
import { underLoad } from './measures/under-load.ts'
import { watching } from './measures/watching.ts'
import { workspaces } from './measures/workspaces.ts'
import type { Question } from './parts/question.ts'

/** Everything that is promised about speed, in the order in which it is asked. */
export const QUESTIONS: readonly Question[] = [
  acknowledging,
  helpAnswered,
  readsWrite,
  underLoad,
  listing,
  pageRead,
  hundredThousand,
  starting,
  slowPeers,
  fairness,
  eventLoop,
  workspaces,
  postgresReads,
  watching,
  manyWorkspaces,
]
