import type { Routes } from '../../bot/routes/routes.ts'
import { missingFeaturesBlocks, readMissingFeatures } from './missing-features.ts'
import { type HomeParts, readConnections, readHome } from './show-home.ts'
import { homeFootView, homeView } from './views.ts'

/** App Home. */
export function homeCommands(
  routes: Routes,
  { prefix, leftOut, ...parts }: HomeParts & { prefix: string; leftOut: ReadonlySet<string> },
): void {
  routes.home(async (context) => {
    const [state, roles] = await Promise.all([readHome(parts, context), context.roles()])
    return homeView(state, { prefix, isAdmin: roles.has('admin'), isOperator: roles.has('operator') })
  })
  routes.homeSection(async (context) => missingFeaturesBlocks(await readMissingFeatures(context, leftOut)))
  routes.homeFoot(async (context) => homeFootView(await readConnections(parts, context), context.now))
}
