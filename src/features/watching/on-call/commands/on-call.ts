import type { HomeSection, VerbDeclaration } from '../../../../bot/routes/routes.ts'
import type { Environment } from '../../../../domain/environment.ts'
import type { Unseen } from '../../../../domain/outages/outage.ts'
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
    async section({ workspaceId, userId }) {
      const { acknowledgments, history } = watching
      const taken = await acknowledgments.listAcknowledgedBy(workspaceId, userId, MAX_OUTAGES_READ)
      const unseen = new Map<Environment, Unseen | undefined>()
      for (const environment of new Set(taken.map((each) => each.environment)))
        unseen.set(environment, await history.findUnseen({ workspaceId, environment }))
      return onItHomeBlocks(taken, unseen)
    },
  },
]
