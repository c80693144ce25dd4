import type { Routes } from '../../bot/routes/routes.ts'
import { readConnections } from './connections.ts'
import { missingFeaturesBlocks, readMissingFeatures } from './missing-features.ts'
import { type HomeParts, readHome } from './show-home.ts'
import { homeFootView, homeView } from './views.ts'

/** App Home. */
export function homeCommands(
  routes: Routes,
  { prefix, leftOut, ...parts }: HomeParts & { prefix: string; leftOut: ReadonlySet<string> },
): void {
  routes.home(async (ask) => {
    const [state, roles] = await Promise.all([readHome(parts, ask), ask.roles()])
    return homeView(state, { prefix, isAdmin: roles.has('admin'), isOperator: roles.has('operator') })
  })
  routes.homeSection(async (ask) => missingFeaturesBlocks(await readMissingFeatures(ask, leftOut)))
  routes.homeFoot(async (ask) => homeFootView(await readConnections(parts, ask), ask.now))
}
