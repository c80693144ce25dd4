import { GUESTS_CAN_VIEW } from '../../bot/access/access.ts'
import { bindForm, feature } from '../../bot/feature.ts'
import { ALLOWED_SHARED_CHANNELS } from '../../bot/posts/may-post.ts'
import type { AccessDeps } from './access-settings.ts'
import { accessCommands } from './commands.ts'
import { addForm, changeForm, endForm } from './forms/role.ts'
import { settingsForm } from './forms/settings.ts'

/** Roles and permissions: `/hc access`, `whoami`, and `grant`. */
export const access = feature({
  name: 'access',
  settings: [GUESTS_CAN_VIEW, ALLOWED_SHARED_CHANNELS],
  start({ store, access, redrawHomes }) {
    const deps: AccessDeps = {
      grants: store.grants,
      settings: store.settings,
      listAdmins: access.listAdmins,
      redrawHomes,
    }
    return {
      commands: accessCommands(deps),
      forms: [
        bindForm(addForm, deps),
        bindForm(changeForm, deps),
        bindForm(endForm, deps),
        bindForm(settingsForm, deps),
      ],
    }
  },
})
