import { networkInterfaces } from 'node:os'
import type { ListeningPlace } from '@svc/kernel'
import { type Address, isLoopback, isSame, readAddress } from './ranges.ts'

/** Whether a connection to this address and port would be taken by this server itself. */
export const isOwnPlace = (address: Address, port: number, places: readonly ListeningPlace[]): boolean =>
  places.some((place) => place.port === port && takes(readAddress(place.address), address))

/** A place without an address, or with the one that stands for all, takes what is sent to any address of this machine. */
function takes(listening: Address | undefined, address: Address): boolean {
  if (listening !== undefined && !isUnspecified(listening) && !isUnspecified(address))
    return isSame(listening, address)
  return isLoopback(address) || ownAddresses().some((own) => isSame(own, address))
}

const isUnspecified = (address: Address): boolean => address.toByteArray().every((byte) => byte === 0)

const ownAddresses = (): readonly Address[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.flatMap(({ address }) => readAddress(address) ?? []),
  )
