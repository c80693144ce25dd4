import type { HomeSection, VerbDeclaration } from '../../../../bot/routes/routes.ts'
import type { WatchDeps } from '../../save-watch.ts'
import { MAX_OUTAGES_READ, onItHomeBlocks } from '../views/on-it.ts'
import { maintenanceCommands } from './maintenance.ts'
import { muteCommands } from './mutes.ts'
import { onItCommands } from './on-it.ts'

/** Commands to mute checks, plan maintenance, and acknowledge outages. */
export const onCallCommands = (deps: WatchDeps): VerbDeclaration[] => [
  ...muteCommands(deps),
  ...onItCommands(deps),
  ...maintenanceCommands(deps),
]

/** The App Home section with the outages that the person has acknowledged. */
export const onCallHomeSections = ({ watching }: Pick<WatchDeps, 'watching'>): HomeSection[] => [
  {
    group: 'for you',
    section: async ({ workspaceId, userId }) =>
      onItHomeBlocks(
        await Promise.all(
          (await watching.acknowledgments.listAcknowledgedBy(workspaceId, userId, MAX_OUTAGES_READ)).map(
            async (taken) => ({
              ...taken,
              unseen: await watching.history.findUnseen({ workspaceId, environment: taken.environment }),
            }),
          ),
        ),
      ),
  },
]
