import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { Button } from '../../parts/forms/button.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'

export function Page() {
  const [eventId, setEventId] = useState('')
  const navigate = useNavigate()
  const open = (event: FormEvent) => {
    event.preventDefault()
    if (eventId !== '') void navigate(`/events/${encodeURIComponent(eventId)}`)
  }
  return (
    <Frame
      title="Events"
      description="Every change of a record is an event. See for each webhook whether it was delivered, or why not."
    >
      <Card>
        <form className="stack narrow" onSubmit={open}>
          <TextField
            label="Event id"
            required
            value={eventId}
            onChange={(event) => setEventId(event.target.value.trim())}
            hint="The id in the body of a delivery, and its header x-service-delivery."
          />
          <div className="row">
            <Button type="submit" look="primary">
              Explain the event
            </Button>
          </div>
        </form>
      </Card>
      <p className="quiet">
        You know the record but not the event? <Link to="/deliveries">Search the deliveries</Link>{' '}
        by record id.
      </p>
    </Frame>
  )
}
