import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { startSqliteFile } from '../../databases/databases.ts'
import { shareWorld } from '../../shared-world.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { writeFromOutside } from '../../write-from-outside.ts'
import { removeConnection, saveConnection } from '../../write-store.ts'

const TOKEN = 'right-token-7f3a'
const OTHER_TOKEN = 'wrong-token-91bc'
const LIST_PATH = '/healthcheck/v1/healthchecks'

const shareUnconnected = shareWorld({ connected: false, sandbox: { token: TOKEN } })
/** A world without a token, which is emptied after each test. */
async function startUnconnected(): Promise<World> {
  const world = await shareUnconnected()
  const { store } = world.app
  for (const environment of ['production', 'ote'] as const)
    await removeConnection(store, WORKSPACE, environment)
  return world
}

async function connect(world: World, token: string, environment = 'production') {
  const { member } = world.slack
  await member.command('/hc', `connect --env ${environment}`)
  return member.submit({ Token: token }, { until: /stored it|wasn’t stored|Nothing was stored/ })
}

describe('/hc connect', () => {
  it('tests and stores the token, and then uses it', async () => {
    const world = await startUnconnected()
    const { member } = world.slack
    await world.service.addCheck({ name: 'web' })
    const refused = await member.command('/hc')
    expect(refused.text).toContain('Signalman has no token for the production environment, so')
    const form = await member.click(refused.message, 'Store a token')
    expect(form.text).toContain('never shows it again.')
    const done = await member.submit({ Token: `"Bearer ${TOKEN}" ` }, { until: 'stored it' })
    expect(done.text).toContain(
      'Signalman tested the token for the production environment and stored it.\nIt gives access to 1 health check.',
    )
    expect((await member.click(done.view, 'List health checks')).text).toContain('web')
    expect((await member.command('/hc', 'list')).text).toContain('web')
  })

  it('stores nothing if the service doesn’t accept the token for whatever reason, and never shows it', async () => {
    await using world = await startWorld({
      connected: false,
      sandbox: { token: TOKEN },
      serviceLimits: { retry: { attempts: 1 } },
    })
    const errors = [{ code: 'BAD_REQUEST', message: `Odd: ${TOKEN}` }]
    for (const [fault, expectedText] of [
      [{ kind: 'status', status: 401 }, 'doesn’t accept this token for the production environment.'],
      [{ kind: 'status', status: 503 }, 'The service is unreachable or failing.'],
      [{ kind: 'status', status: 429 }, 'The service is getting too many requests.'],
      [{ kind: 'body', body: '<html>Hello</html>' }, 'couldn’t understand the service’s response'],
      [{ kind: 'status', status: 403 }, 'doesn’t allow this token to list health checks'],
      [{ kind: 'status', status: 400, body: { errors } }, 'The service said: “Odd: [token]”'],
    ] as const) {
      await world.service.faults({ path: LIST_PATH, ...fault })
      const answer = await connect(world, TOKEN)
      expect(answer.text).toContain(expectedText)
      expect(answer.text).toMatch(/wasn’t stored|Nothing was stored/)
      expect(JSON.stringify(answer.view)).not.toContain('initial_value')
      await world.slack.member.close({ all: true })
    }
    await world.service.faults()
    expect((await world.slack.member.command('/hc')).text).toContain('no token for the production')
    await connect(world, OTHER_TOKEN)
    // The redrawn form works: only the token must be typed again.
    await world.slack.member.submit({ Token: TOKEN }, { until: 'and stored it.' })
  })

  it('says who stored the token that it replaces', async () => {
    const world = await startUnconnected()
    await connect(world, TOKEN)
    await world.slack.member.close({ all: true })
    const form = await world.slack.admin.command('/hc', 'connect')
    expect(form.text).toContain('The old one stays valid at the service.')
    expect(JSON.stringify(form.view?.view.blocks)).toContain(world.slack.member.id)
    const done = await world.slack.admin.submit({ Token: TOKEN }, { until: 'stored it' })
    expect(done.text).toContain(
      'stored it in place of the previous one.\nIt doesn’t give access to any health checks',
    )
  })

  it('stores a token for one environment only, and its buttons use that environment', async () => {
    const world = await startUnconnected()
    const done = await connect(world, TOKEN, 'ote')
    expect(done.text).toContain('Signalman tested the token for the OTE environment')
    expect(await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 1 })).toMatchObject([
      { object: 'connection to the service (OTE)' },
    ])
    const { member } = world.slack
    expect((await member.click(done.view, 'Summary')).text).toContain('There are no health checks (OTE)')
    expect((await member.command('/hc', '--env ote')).text).toContain('(OTE)')
    expect((await member.command('/hc')).text).toContain('no token for the production environment')
  })

  it('doesn’t offer an environment that has no base URL', async () => {
    await using world = await startWorld({ connected: false, environment: { API_OTE_BASE_URL: '' } })
    const { member } = world.slack
    expect((await member.command('/hc', 'connect --env ote')).text).toContain('API_OTE_BASE_URL')
    const form = await member.command('/hc', 'connect')
    expect(JSON.stringify(form.view?.view.blocks)).not.toContain('OTE')
    const { text } = await member.command('/hc', 'env')
    expect(text).toContain('This channel uses the production environment.')
    expect(text).not.toMatch(/ote/i)
  })

  it('replaces a token even if its row was changed outside the app', async () => {
    await using sqlite = await startSqliteFile()
    const environment = { DATABASE_URL: sqlite.url }
    await using world = await startWorld({ connected: false, sandbox: { token: TOKEN }, environment })
    expect((await connect(world, TOKEN)).text).toContain('stored it')
    await world.slack.member.close({ all: true })
    using database = new DatabaseSync(sqlite.file)
    await writeFromOutside(database, "update connection set user_id = 'U9'")
    expect((await connect(world, TOKEN)).text).toContain('stored it')
    expect((await world.app.store.connections.find(WORKSPACE, 'production'))?.userId).toBe('U0MEMBER01')
  })
})

describe('/hc disconnect', () => {
  it('says which token it will delete, and deletes it only after confirmation', async () => {
    const world = await startUnconnected()
    const { member } = world.slack
    await connect(world, TOKEN)
    await member.close({ all: true })
    const form = await member.command('/hc', 'disconnect')
    expect(form.text).toContain('The token for the production environment, stored by')
    await member.close()
    expect((await member.command('/hc')).text).not.toContain('no token')
    await member.command('/hc', 'disconnect')
    const done = await member.submit({}, { until: 'Removed the token' })
    expect(done.text).toContain('Removed the token for the production environment.')
    expect((await member.command('/hc')).text).toContain('no token for the production environment')
    const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 2 })
    const row = { object: 'connection to the service', outcome: 'done' }
    expect(rows).toMatchObject([
      { ...row, verb: '/hc disconnect', before: { storedBy: member.id } },
      { ...row, verb: '/hc connect', actor: { userId: member.id } },
    ])
    expect(JSON.stringify(rows)).not.toContain(TOKEN)
  })

  it('supports --env, and says if there is no token to delete', async () => {
    const world = await startUnconnected()
    const { member } = world.slack
    await connect(world, TOKEN, 'ote')
    await member.close({ all: true })
    const nothing = await member.command('/hc', 'disconnect')
    expect(nothing.text).toContain('There’s no stored token for the production environment')
    const form = await member.command('/hc', 'disconnect --env ote')
    expect(form.text).toContain('The token for the OTE environment, stored by')
    expect((await member.submit({}, { until: 'Removed the token' })).text).toContain(
      'Removed the token for the OTE environment',
    )
    expect((await member.command('/hc', 'disconnect --env ote')).text).toContain(
      'There’s no stored token for the',
    )
  })

  it('falls back to the token from the configuration, which can’t be removed from Slack', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    expect((await member.command('/hc', 'disconnect')).text).toContain('(API_TOKEN), so you can’t remove it')
    expect((await member.command('/hc', 'disconnect --env ote')).text).toContain('(API_OTE_TOKEN)')
    expect((await member.command('/hc', 'connect')).text).toContain('The token you store here replaces it.')
    await member.submit({ Token: world.sandbox.token }, { until: 'stored it' })
    await member.close({ all: true })
    expect((await member.command('/hc', 'disconnect')).text).toContain(
      'use the token from its configuration.',
    )
    const done = await member.submit({}, { until: 'now uses the token from its configuration' })
    expect((await member.click(done.view, 'Store a token')).text).toContain(
      'The token you store here replaces it',
    )
    await member.close({ all: true })
    expect((await member.command('/hc')).text).toContain('There are no health checks')
  })
})

async function storeOther({ app: { store } }: World): Promise<void> {
  const by = { userId: 'U0ADMIN001', now: new Date(Date.now() + 1000) }
  const connection = { workspaceId: WORKSPACE, environment: 'production', token: OTHER_TOKEN } as const
  await saveConnection(store, { ...connection, ...by })
}

function storeDuringNextRead(world: World): void {
  const { connections } = world.app.store
  const { list } = connections
  connections.list = async (workspaceId) => {
    const found = await list(workspaceId)
    connections.list = list
    await storeOther(world)
    return found
  }
}

describe('a token that someone stores in the meantime', () => {
  it('isn’t removed by a window that was opened before', async () => {
    const world = await startUnconnected()
    const { member } = world.slack
    await connect(world, TOKEN)
    await member.close({ all: true })
    await member.command('/hc', 'disconnect')
    await storeOther(world)
    const refused = await member.submit({}, { until: /Reference|nothing was removed|Removed the token/ })
    expect(refused.text).toContain(
      'Someone stored a new token after you opened this window, so nothing was removed.',
    )
    expect((await world.app.store.connections.find(WORKSPACE, 'production'))?.token).toBe(OTHER_TOKEN)
    expect((await member.click(refused.view, 'Open it again')).text).toContain('stored by')
  })

  it('isn’t replaced by a token that was being tested', async () => {
    const world = await startUnconnected()
    await world.slack.member.command('/hc', 'connect')
    storeDuringNextRead(world)
    const refused = await world.slack.member.submit(
      { Token: TOKEN },
      { until: /Reference|wasn’t stored|stored it/ },
    )
    expect(refused.text).toContain(
      'Another token for the production environment was stored in the meantime, and Signalman uses that one.',
    )
    expect((await world.app.store.connections.find(WORKSPACE, 'production'))?.token).toBe(OTHER_TOKEN)
  })

  it('isn’t replaced by a generated token, which stays active in the service', async () => {
    await using world = await startWorld()
    storeDuringNextRead(world)
    await world.slack.member.command('/hc', 'token-generate', {
      until:
        /Signalman uses that one. Signalman doesn’t use the new token, and no one has a copy. It may stay active/,
    })
    expect((await world.app.store.connections.find(WORKSPACE, 'production'))?.token).toBe(OTHER_TOKEN)
  })
})
