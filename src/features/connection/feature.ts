import { feature } from '../../bot/feature.ts'
import { bindForm } from '../../bot/forms/form.ts'
import { connectionCommands } from './commands.ts'
import { connectForm, disconnectForm } from './forms.ts'

/** `/hc connect`, `disconnect`, `tokens`, and `env`: the workspace's tokens, and which environment a channel uses. */
export const connection = feature({
  name: 'connection',
  start({ store: { channels, connections }, config, service }) {
    const { configured, hasOte } = config
    const deps = { service, connections, channels, configured, hasOte }
    return {
      commands: connectionCommands(deps),
      forms: [bindForm(connectForm, deps), bindForm(disconnectForm, deps)],
    }
  },
})
