import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { LAB_CA_CERTIFICATE, startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { createCall } from '../../src/demo/sandbox-calls.ts'
import { createTargets, UNSTEADY } from '../../src/demo/targets.ts'
import { diagnose } from '../../src/features/health-checks/diagnose/probe.ts'
import type { Diagnosis } from '../../src/features/health-checks/rules/diagnosis.ts'

interface ListedCheck {
  name: string
  status: string
  protocol: string
  target: string
  port: number
  http_server_address?: string
}

const TIMEOUT_MS = 60_000

/** Whether something about the target explains that the check is down. */
const isExplained = ({ resolved, connections, certificate, answer }: Diagnosis): boolean =>
  (connections.length === 0 && 'problem' in resolved) ||
  (connections.length > 0 && connections.every((connection) => 'problem' in connection)) ||
  (certificate !== undefined && 'problem' in certificate && certificate.problem !== undefined) ||
  (answer !== undefined && ('problem' in answer || answer.status >= 400))

function diagnoseCheck({ target, port, protocol, http_server_address }: ListedCheck): Promise<Diagnosis> {
  const url = URL.parse(target)
  const probed = {
    host: url?.hostname ?? target,
    port,
    path: url?.pathname ?? '/',
    protocol,
    serverAddress: http_server_address,
  }
  return diagnose(probed, () => false, AbortSignal.timeout(TIMEOUT_MS))
}

it('shows no outage whose server answers', async () => {
  setDefaultCACertificates([...getCACertificates('default'), LAB_CA_CERTIFICATE])
  await using sandbox = await startSandbox()
  const call = createCall(sandbox)
  const listDown = async () => {
    const { data } = await call<{ data: { results: ListedCheck[] } }>(
      'GET',
      '/healthcheck/v1/healthchecks?status=UNHEALTHY&limit=500',
    )
    return data.results.filter(({ name }) => !UNSTEADY.includes(name))
  }
  const downAtStart = await listDown()
  expect(downAtStart.length).toBeGreaterThan(5)
  const targets = createTargets(call)
  const running = (await targets.listRunning()).slice(0, 9)
  await targets.stop(running)
  const stopped = running.map(({ name }) => name)
  const listStopped = async () => (await listDown()).filter(({ name }) => stopped.includes(name))
  await expect.poll(async () => (await listStopped()).length, { timeout: TIMEOUT_MS }).toBe(9)
  // On a busy machine, the sandbox's own checks time out, so only these are certain to be down.
  for (const check of [...downAtStart, ...(await listStopped())]) {
    // Without it, the name would be looked up, and example domains aren't in DNS.
    if (check.protocol !== 'TCP') expect(check.http_server_address).toBe('127.0.0.1')
    expect(isExplained(await diagnoseCheck(check)), check.name).toBe(true)
  }
})
