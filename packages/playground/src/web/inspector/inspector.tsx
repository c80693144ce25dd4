// This folder: the list of requests between Slack and the app.

import { usePage } from '../page.ts'
import { Panel } from '../panel.tsx'
import { Scrolling } from '../scrolling.tsx'
import { DeliveryView } from './delivery.tsx'

const MAX_SHOWN = 150

/** The requests between the playground and the app, newest first. Scrolls to the delivery with `deliveryId`. */
export function Inspector({ deliveryId }: { deliveryId: string | null }) {
  const { state } = usePage()
  const deliveries = state.snapshot.deliveries.toReversed()
  return (
    <Panel title="Inspector" label="Delivery inspector" closeLabel="Close inspector" className="inspector">
      <Scrolling className="deliveries" label="Deliveries">
        {deliveries.slice(0, MAX_SHOWN).map((delivery) => (
          <DeliveryView key={delivery.id} delivery={delivery} isSelected={deliveryId === delivery.id} />
        ))}
        {deliveries.length === 0 && <p className="empty">No deliveries yet.</p>}
        {deliveries.length > MAX_SHOWN && (
          <p className="note soft">{deliveries.length - MAX_SHOWN} older deliveries aren’t shown.</p>
        )}
      </Scrolling>
    </Panel>
  )
}
