import type { Routes } from '../../bot/routes/routes.ts'
import { missingFeaturesBlocks, readMissingFeatures } from './missing-features.ts'
import { type HomeParts, readConnections, readHome } from './show-home.ts'
import { connectionView, nowView, quickActions, setUpView } from './views.ts'

/** App Home, but for what other features put into it. */
export function homeCommands(
  routes: Routes,
  { prefix, leftOut, ...parts }: HomeParts & { prefix: string; leftOut: ReadonlySet<string> },
): void {
  routes.homeSection('set-up', async (context) => {
    const [connections, roles] = await Promise.all([readConnections(parts, context), context.roles()])
    return setUpView(connections, { prefix, isAdmin: roles.has('admin') })
  })
  routes.homeSection('now', async (context) => {
    const [state, roles] = await Promise.all([readHome(parts, context), context.roles()])
    return nowView(state, roles.has('admin') || roles.has('operator'))
  })
  routes.homeSection('can do', async (context) => quickActions(await readConnections(parts, context)))
  routes.homeSection('foot', async (context) => {
    const [connections, missing] = await Promise.all([
      readConnections(parts, context),
      readMissingFeatures(context, leftOut),
    ])
    return [...connectionView(connections), ...missingFeaturesBlocks(missing)]
  })
}
