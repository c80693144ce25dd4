import { beforeEach, describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf } from '../../long.ts'
import { startWorld, type World, type WorldOptions } from '../../world.ts'

/** How the sandbox's list shows addresses: it may show anything, whatever the setting says. */
async function listAddresses({ sandbox }: World, listed_addresses: 'given' | 'resolved' | 'none') {
  for (const url of [sandbox.productionUrl, sandbox.oteUrl])
    await fetch(`${url}/_sandbox/variants`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ listed_addresses }),
    })
}

const lastBody = async ({ service }: World, method: 'PUT' | 'POST') =>
  (await service.requests(method)).filter(({ path }) => !path.endsWith('/alerts')).at(-1)?.body

const waitForDm = ({ slack: { member } }: World, expected: string) =>
  member.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected))

async function importFile({ slack: { member } }: World, csv: string, button: string) {
  const { id } = await member.upload('c.csv', csv, 'text/csv')
  await member.command('/hc', 'import')
  const preview = await member.submit({ 'CSV file': [id] }, { until: 'Nothing has changed yet' })
  await member.click(preview.view, button, { until: 'Started' })
  await member.close({ all: true })
}

/** Types `/hc undo` until the deletion, whose window already shows its result, has ended. */
async function offerUndo(member: World['slack']['member']) {
  for (;;) {
    const answer = await member.command('/hc', 'undo', { until: /Undo your last change|can’t be undone yet/ })
    if (answer.text.includes('Undo your last change')) return answer
  }
}

const ASKS = 'answer first'

describe.each(eitherOf(SHARED_DATABASES))(
  'a server address that the list doesn’t show, on $name',
  ({ start: startDatabase }) => {
    let startWorldHere: (options: WorldOptions) => Promise<World & AsyncDisposable>
    const databases: AsyncDisposable[] = []

    beforeEach(async () => {
      const database = await startDatabase()
      databases.push(database)
      startWorldHere = (options) =>
        startWorld({
          ...options,
          addresses: 'none',
          environment: { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys, ...options.environment },
        })
      return async () => {
        for (const each of databases.splice(0)) await each[Symbol.asyncDispose]()
      }
    })

    it('is kept by an edit if Signalman set it, in a window or by a job', async () => {
      await using world = await startWorldHere({ checks: [{ name: 'shop-b', target: 'b.example.com' }] })
      await listAddresses(world, 'none')
      const { member } = world.slack
      await member.command('/hc', 'create pinned --target pinned.example.com --customer 1')
      await member.submit(
        { 'Server address': '192.0.2.7', Port: '443', 'Seconds between checks': '60' },
        { until: 'Created' },
      )
      await member.close({ all: true })
      const set = await member.command('/hc', 'edit shop-b --server-address 192.0.2.9', {
        until: 'Nothing has',
      })
      await member.click(set.message, 'Set 1', { until: 'Started' })
      await waitForDm(world, 'Requested: Set server address')

      await member.command('/hc', 'edit pinned')
      await member.submit({ 'Seconds between checks': '120' }, { until: 'Saved' })
      await member.close({ all: true })
      expect(await lastBody(world, 'PUT')).toMatchObject({ frequency: 120, http_server_address: '192.0.2.7' })
      const bulk = await member.command('/hc', 'edit shop-b --frequency 45', { until: 'Nothing has' })
      expect(bulk.text).not.toContain(ASKS)
      await member.click(bulk.message, 'Set 1', { until: 'Started' })
      await waitForDm(world, 'every 45 s')
      expect(await lastBody(world, 'PUT')).toMatchObject({ frequency: 45, http_server_address: '192.0.2.9' })
      // The window's own write is known, too.
      const third = await member.command('/hc', 'edit pinned --frequency 30', { until: 'Nothing has' })
      expect(third.text).toContain('Set 1 “pinned” health check to every 30 s?')
    })

    it('is asked about once someone else has changed the check, and is in no PUT before that', async () => {
      await using world = await startWorldHere({ checks: [{ name: 'shop', target: 'a.example.com' }] })
      await listAddresses(world, 'none')
      const { member } = world.slack
      await importFile(world, 'name,http_server_address\nshop,192.0.2.7\n', 'Change 1')
      await waitForDm(world, 'Imported')
      const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('shop')
      await world.service.change(uuid, {
        name: 'shop',
        target: 'a.example.com',
        http_server_address: '192.0.2.8',
      })
      const puts = (await world.service.requests('PUT')).length
      const asked = await member.command('/hc', 'edit shop --frequency 45', { until: 'Nothing' })
      expect(asked.text).toContain(ASKS)
      const answered = await member.click(asked.message, 'It was set by hand', { until: 'Nothing has' })
      expect(answered.text).toContain('server address 192.0.2.8')
      expect(await world.service.requests('PUT')).toHaveLength(puts)
    })

    it('is restored by undoing the deletion, and is in the export', async () => {
      await using world = await startWorldHere({ checks: [{ name: 'shop-a', target: 'a.example.com' }] })
      await listAddresses(world, 'none')
      const { member } = world.slack
      await importFile(world, 'name,http_server_address\nshop-a,192.0.2.7\n', 'Change 1')
      await waitForDm(world, 'Imported')
      await member.command('/hc', 'delete shop-a')
      await member.submit({ name: 'shop-a' }, { until: 'Deleted' })
      await member.close({ all: true })
      const undo = await offerUndo(member)
      await member.click(undo.message, 'Undo', { until: 'Started' })
      await waitForDm(world, 'Undone: Delete')
      expect(await lastBody(world, 'POST')).toMatchObject({
        name: 'shop-a',
        http_server_address: '192.0.2.7',
      })
      await member.command('/hc', 'export')
      await waitForDm(world, 'Exported 1 health check')
      const exported = (await member.messages('dm')).flatMap(({ files = [] }) => files).at(-1)
      const text = await (await fetch(`${world.playground.url}${exported?.href}`)).text()
      expect(text).toContain('192.0.2.7')
    })

    it('is asked about on undo of a deletion if nobody knows it, or the check isn’t restored', async () => {
      await using world = await startWorldHere({ checks: [{ name: 'shop', target: 'a.example.com' }] })
      await listAddresses(world, 'none')
      const { member } = world.slack
      await member.command('/hc', 'delete shop')
      const deleted = await member.submit({ name: 'shop' }, { until: 'Deleted' })
      await member.close({ all: true })
      expect(deleted.text).toContain('Deleted')
      const undo = await offerUndo(member)
      const question = await member.click(undo.message, 'Undo', {
        until: 'Which is it?',
      })
      await member.click(question.message, 'Leave them out', { until: 'Started' })
      const dm = await member.until('undo', ({ messages }) =>
        JSON.stringify(messages).includes('Requested: Undo'),
      )
      expect(JSON.stringify(dm.messages)).toContain('whether its server address was set or comes from DNS')
      expect(await world.service.countChecks()).toBe(0)
    })

    it('isn’t inferred from other rows of a list that shows some addresses', async () => {
      await using world = await startWorldHere({
        checks: [
          { name: 'shop-a', target: 'a.example.com', http_server_address: '192.0.2.7' },
          { name: 'shop-b', target: 'b.example.com', http_server_address: '192.0.2.8' },
          { name: 'typo-domain', target: 'typo.example.com' },
        ],
      })
      const { member } = world.slack
      const before = await member.command('/hc', 'edit shop-* --frequency 45', { until: 'Nothing' })
      expect(before.text).toContain('2 “shop-*” health checks need an answer first.')
      const all = await member.command('/hc', 'edit * --frequency 45', { until: 'Nothing' })
      expect(all.text).toContain('3 health checks need an answer first.')
      await member.command('/hc', 'edit typo-domain')
      await member.close({ all: true })
      const after = await member.command('/hc', 'edit shop-* --frequency 45', { until: 'Nothing' })
      expect(after.text).toContain('2 “shop-*” health checks need an answer first.')
    })

    it('that someone answered about in OTE says nothing about production', async () => {
      await using world = await startWorldHere({
        checks: [{ name: 'pinned', target: 'a.example.com', http_server_address: '192.0.2.7' }],
      })
      await listAddresses(world, 'none')
      const { token, oteUrl } = world.sandbox
      await fetch(`${oteUrl}/healthcheck/v1/healthchecks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          name: 'otecheck',
          protocol: 'HTTPS',
          target: 'o.example.com',
          port: 443,
          frequency: 60,
          customer_id: 1,
        }),
      })
      const { member } = world.slack
      const first = await member.command('/hc', 'edit ote* --frequency 90 --env ote', { until: 'Nothing' })
      expect(first.text).toContain('API_OTE_SERVER_ADDRESSES')
      await member.click(first.message, 'It comes from DNS', { until: 'Nothing has changed yet' })
      const bulk = await member.command('/hc', 'edit pinned --frequency 45', { until: 'Nothing' })
      expect(bulk.text).toContain('1 “pinned” health check needs an answer first.')
    })
  },
)
