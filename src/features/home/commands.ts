import type { Routes } from '../../bot/routes/routes.ts'
import { type HomeParts, readHome } from './show-home.ts'
import { homeView } from './views.ts'

/** App Home. */
export function homeCommands(routes: Routes, { prefix, ...parts }: HomeParts & { prefix: string }): void {
  routes.home(async (ask) => homeView(await readHome(parts, ask), { prefix, now: ask.now }))
}
