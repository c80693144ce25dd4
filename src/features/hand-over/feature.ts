import { feature } from '../../bot/feature.ts'
import { handOverCommands } from './commands.ts'

/** `/hc handover` transfers what a person owns to someone else. Each feature declares what its users can own. */
export const handOver = feature({
  name: 'hand-over',
  start: ({ routes }) => ({ commands: handOverCommands({ routes }) }),
})
