import { createServer as createTcpServer } from 'node:net'
import { expect, it } from 'vitest'
import { CHECKS, createCheck, useSandbox, waitUntil } from '../client.ts'

const { call } = useSandbox({ checking: true })

async function readStatus(uuid: string): Promise<string> {
  // The response for one check: { message, data: Healthcheck }.
  return (await call('GET', `${CHECKS}/${uuid}`)).json<{ data: { status: string } }>().data.status
}
const waitForStatus = (uuid: string, status: string) =>
  waitUntil(async () => (await readStatus(uuid)) === status)

it('a created check keeps a manually set status and isn’t probed until it’s updated', async () => {
  let connections = 0
  const server = createTcpServer((socket) => {
    connections += 1
    socket.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const uuid = await createCheck(call, { name: 'Set manually', port, frequency: 1 })
  await waitUntil(() => connections > 0)
  await waitForStatus(uuid, 'HEALTHY')
  await call('PUT', `/_sandbox/health-checks/${uuid}/status`, { status: 'UNHEALTHY' })
  // Has the same frequency: by the time it has run twice, the suspended check would have run too.
  const later = await createCheck(call, { name: 'Later', port, frequency: 1 })
  const connectionsBefore = connections
  await waitUntil(() => connections >= connectionsBefore + 2)
  expect(await readStatus(later)).toBe('HEALTHY')
  expect(await readStatus(uuid)).toBe('UNHEALTHY')
  await call('DELETE', `${CHECKS}/${later}`)
  const settings = { customer_id: 1, protocol: 'TCP', target: 'localhost', frequency: 1 }
  await call('PUT', `${CHECKS}/${uuid}`, { ...settings, name: 'Set manually', port })
  await waitForStatus(uuid, 'HEALTHY')
  await new Promise((resolve) => server.close(resolve))
})
