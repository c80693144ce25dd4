import { useEffect, useRef, useState } from 'react'
import type { Json } from '../../protocol/json.ts'
import type { Delivery } from '../../protocol/protocol.ts'
import { formatPayload } from './format-payload.ts'
import { summarize } from './summary.ts'

function PayloadSection({
  title,
  headers,
  body,
}: {
  title: string
  headers: Record<string, string>
  body: Json
}) {
  const lines = Object.entries(headers)
  return (
    <section className="payload" aria-label={title}>
      <h3>{title}</h3>
      {lines.length > 0 && (
        <details>
          <summary>{lines.length} headers</summary>
          <dl>
            {lines.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0}>{formatPayload(body)}</pre>
    </section>
  )
}

function Details({ delivery }: { delivery: Delivery }) {
  const { request, response, notes } = delivery
  return (
    <div className="delivery-details">
      {notes.map((note) => (
        <p key={note} className="note soft">
          {note}
        </p>
      ))}
      <PayloadSection
        title={`${request.method} ${request.url}`}
        headers={request.headers}
        body={request.body}
      />
      {response ? (
        <PayloadSection
          title={`Response ${response.status}`}
          headers={response.headers}
          body={response.body}
        />
      ) : (
        <p className="note soft">No response{delivery.verdict === 'pending' ? ' yet' : ''}.</p>
      )}
    </div>
  )
}

function verdictClass(verdict: string): string {
  if (verdict === 'ok') return 'verdict good'
  return verdict === 'pending' ? 'verdict' : 'verdict bad'
}

/** One request and its response. A selected delivery is expanded and scrolled into view. */
export function DeliveryView({ delivery, isSelected }: { delivery: Delivery; isSelected: boolean }) {
  const ref = useRef<HTMLDetailsElement>(null)
  const [open, setOpen] = useState(isSelected)
  useEffect(() => {
    if (!isSelected) return
    setOpen(true)
    ref.current?.scrollIntoView({ block: 'start' })
  }, [isSelected])
  const toApp = delivery.direction === 'to-app'
  return (
    <details
      ref={ref}
      className="delivery"
      open={open}
      onToggle={(event) => {
        if (event.target === ref.current) setOpen(event.currentTarget.open)
      }}
    >
      <summary>
        <span className="direction" role="img" aria-label={toApp ? 'To the app' : 'From the app'}>
          {toApp ? '→' : '←'}
        </span>
        <span className="kind">
          {delivery.kind} <span className="delivery-summary">{summarize(delivery)}</span>
        </span>
        {delivery.retry !== null && <span className="badge">retry {delivery.retry}</span>}
        <span className={verdictClass(delivery.verdict)}>{delivery.verdict}</span>
        <span className="duration">
          {delivery.durationMs === null ? '…' : `${Math.round(delivery.durationMs)} ms`}
        </span>
        <time dateTime={delivery.at}>{new Date(delivery.at).toLocaleTimeString('en-GB')}</time>
      </summary>
      {open && <Details delivery={delivery} />}
    </details>
  )
}
