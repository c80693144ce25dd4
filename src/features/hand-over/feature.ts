import { feature } from '../../bot/feature.ts'
import { handOverCommands } from './commands.ts'

/** `/hc handover`: what a person holds, given to somebody else. Each feature declares what people hold of it. */
export const handOver = feature({
  name: 'hand-over',
  start: ({ routes }) => ({ commands: handOverCommands({ routes }) }),
})
