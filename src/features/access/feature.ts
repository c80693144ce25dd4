import { GUESTS_CAN_VIEW } from '../../bot/access/access.ts'
import { bindForm, feature } from '../../bot/feature.ts'
import { ALLOWED_SHARED_CHANNELS } from '../../bot/posts/may-post.ts'
import type { AccessDeps } from './access-settings.ts'
import { accessCommands, waitingRequestsSection } from './commands.ts'
import { eraseRequests } from './erase-requests.ts'
import { addForm, changeForm, endForm } from './forms/role.ts'
import { settingsForm } from './forms/settings.ts'
import { ACCESS_REQUESTS } from './rules/requests.ts'

/** Roles and permissions: `/hc access`, `whoami`, `grant`, and access requests. */
export const access = feature({
  name: 'access',
  settings: [ACCESS_REQUESTS, GUESTS_CAN_VIEW, ALLOWED_SHARED_CHANNELS],
  open: ({ settings }) => ({
    rows: {},
    erasePerson: async (workspaceId, { userId }) => ({
      requests: await eraseRequests(settings, workspaceId, userId),
    }),
  }),
  start({ store, access, reachability, redrawHomes }) {
    const deps: AccessDeps = {
      grants: store.grants,
      settings: store.settings,
      audit: store.audit,
      ephemeralState: store.ephemeralState,
      listAdmins: access.listAdmins,
      reachability,
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
      home: [{ group: 'for you', section: waitingRequestsSection(deps) }],
    }
  },
})
