import { bindForm, feature } from '../../bot/feature.ts'
import { createAccountProof } from '../../bot/workspaces/account-proof.ts'
import { connectionCommands } from './commands.ts'
import { connectForm, disconnectForm } from './forms.ts'

/** `/hc connect`, `disconnect`, `tokens`, and `env`: the workspace's tokens, and which environment a channel uses. */
export const connection = feature({
  name: 'connection',
  start({ store, config, service, connections }) {
    const accountProof = createAccountProof(store.ephemeralState)
    const { channels } = store
    const { configured, hasOte } = config
    const deps = { service, connections, channels, configured, hasOte, accountProof }
    return {
      commands: connectionCommands(deps),
      forms: [bindForm(connectForm, deps), bindForm(disconnectForm, deps)],
    }
  },
})
