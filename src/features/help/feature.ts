import { feature } from '../../bot/feature.ts'
import { helpCommands } from './commands.ts'

/** `help` of every command. Listed last, because it covers the commands of all features before it. */
export const help = feature({
  name: 'help',
  start: ({ routes }) => ({ commands: helpCommands(routes) }),
})
