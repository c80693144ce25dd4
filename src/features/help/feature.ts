import { feature } from '../../bot/feature.ts'
import { helpCommands, versionCommand } from './commands.ts'

/** The verb `help` of every command. Must be the last feature, because it only covers commands registered before it. */
export const help = feature({
  name: 'help',
  start: ({ routes }) => ({ commands: [versionCommand, ...helpCommands(routes)] }),
})
