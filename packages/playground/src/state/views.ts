import { createId, createSecret } from '../protocol/ids.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { asString, isFields } from '../protocol/json.ts'
import type { Block, OpenView, View } from '../protocol/protocol.ts'
import type { EventLog } from './event-log.ts'

const STACK_LIMIT = 3

export type Views = ReturnType<typeof createViews>
export type FoundView = { view: View; user: string }
type ViewIdentity = { id: string; teamId: string; nowMs: number }
type OpenContext = {
  user: string
  cause: string | null
}

function toPlainText(value: Json | undefined): View['title'] {
  if (!isFields(value)) return null
  return { type: 'plain_text', text: asString(value.text) ?? '', emoji: value.emoji !== false }
}

/** Converts a validated view definition to a view as Slack returns it. */
function buildView(definition: Fields, blocks: Block[], { id, teamId, nowMs }: ViewIdentity): View {
  return {
    id,
    type: definition.type === 'home' ? 'home' : 'modal',
    team_id: teamId,
    callback_id: asString(definition.callback_id) ?? '',
    title: toPlainText(definition.title),
    submit: toPlainText(definition.submit),
    close: toPlainText(definition.close),
    blocks,
    private_metadata: asString(definition.private_metadata) ?? '',
    hash: `${nowMs}.${createSecret(4)}`,
    previous_view_id: null,
  }
}

/** Stores each person's stack of modals, bottom first, and App Home. Sends changes to that person. */
function createSurfaces(log: EventLog) {
  const stacks = new Map<string, OpenView[]>()
  const homes = new Map<string, View>()
  const stack = (user: string) => stacks.get(user) ?? []

  function setStack(user: string, views: OpenView[]): void {
    stacks.set(user, views)
    log.append({ type: 'views', views }, [user])
  }

  return {
    stack,
    setStack,
    home: (user: string) => homes.get(user) ?? null,
    setHome(user: string, view: View): void {
      homes.set(user, view)
      log.append({ type: 'home', view }, [user])
    },

    find(id: string): FoundView | undefined {
      for (const [user, views] of stacks) {
        const open = views.find(({ view }) => view.id === id)
        if (open) return { view: open.view, user }
      }
      for (const [user, view] of homes) if (view.id === id) return { view, user }
      return undefined
    },

    change(user: string, viewId: string, patch: Partial<OpenView>): void {
      const views = stack(user)
      if (!views.some(({ view }) => view.id === viewId)) return
      setStack(
        user,
        views.map((open) => (open.view.id === viewId ? { ...open, ...patch } : open)),
      )
    },
  }
}

/** The views that the app opens and publishes for people. */
export function createViews(log: EventLog, findTeamId: (user: string) => string, now: () => Date) {
  const createIdentity = (id: string, user: string): ViewIdentity => ({
    id,
    teamId: findTeamId(user),
    nowMs: now().getTime(),
  })
  const { stack, setStack, home, setHome, find, change } = createSurfaces(log)

  return {
    stack,
    home,
    find,
    isFull: (user: string) => stack(user).length >= STACK_LIMIT,

    /** Opens a view in a new stack, which replaces the person's earlier stack. */
    open(definition: Fields, blocks: Block[], { user, cause }: OpenContext): View {
      const view = buildView(definition, blocks, createIdentity(createId('V'), user))
      setStack(user, [{ view, errors: {}, banner: null, cause }])
      return view
    },

    /** Pushes a view onto the person's stack. The caller checks that the stack isn't empty or full. */
    push(definition: Fields, blocks: Block[], { user, cause }: OpenContext): View {
      const stackBefore = stack(user)
      const view = buildView(definition, blocks, createIdentity(createId('V'), user))
      view.previous_view_id = stackBefore.at(-1)?.view.id ?? null
      setStack(user, [...stackBefore, { view, errors: {}, banner: null, cause }])
      return view
    },

    /** Replaces a view's content, but not its ID or its position in the stack. */
    update(existing: FoundView, definition: Fields, blocks: Block[], cause: string | null): View {
      const { view: previous, user } = existing
      const view = buildView(definition, blocks, createIdentity(previous.id, user))
      view.previous_view_id = previous.previous_view_id
      if (previous.type === 'home') setHome(user, view)
      else change(user, previous.id, { view, errors: {}, banner: null, cause })
      return view
    },

    publish(definition: Fields, blocks: Block[], user: string): View {
      const view = buildView(definition, blocks, createIdentity(home(user)?.id ?? createId('V'), user))
      setHome(user, view)
      return view
    },

    setErrors: (user: string, viewId: string, errors: Record<string, string>, cause: string | null) =>
      change(user, viewId, { errors, banner: null, cause }),
    setBanner: (user: string, viewId: string, banner: string | null) =>
      change(user, viewId, { errors: {}, banner }),

    /** Closes a view and all views above it. */
    close(user: string, viewId: string): void {
      const views = stack(user)
      const index = views.findIndex(({ view }) => view.id === viewId)
      if (index >= 0) setStack(user, views.slice(0, index))
    },
  }
}
