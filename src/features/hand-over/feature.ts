import { feature } from '../../bot/feature.ts'
import { handOverCommands } from './commands.ts'

/** `/hc handover`: transfers what a person owns to someone else. Each feature declares what people can own. */
export const handOver = feature({
  name: 'hand-over',
  start: ({ routes }) => ({ commands: handOverCommands({ routes }) }),
})
