import type { HomeSection, VerbDeclaration } from '../../../../bot/routes/routes.ts'
import type { WatchDeps } from '../../save-watch.ts'
import { MAX_OUTAGES_READ, onItHomeBlocks } from '../views/on-it.ts'
import { maintenanceCommands } from './maintenance.ts'
import { muteCommands } from './mutes.ts'
import { onItCommands } from './on-it.ts'

/** Commands for silences and for who is on an outage. */
export const onCallCommands = (deps: WatchDeps): VerbDeclaration[] => [
  ...muteCommands(deps),
  ...onItCommands(deps),
  ...maintenanceCommands(deps),
]

/** The outages that a person is on, on App Home. */
export const onCallHomeSections = ({ watching }: Pick<WatchDeps, 'watching'>): HomeSection[] => [
  {
    group: 'for you',
    section: async ({ workspaceId, userId }) =>
      onItHomeBlocks(await watching.acknowledgments.listTakenBy(workspaceId, userId, MAX_OUTAGES_READ)),
  },
]
