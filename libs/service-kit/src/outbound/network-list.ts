import ipaddr from 'ipaddr.js'
import * as z from 'zod'
import { commaList } from '../config/config.ts'

const cidr = z.string().refine((text) => ipaddr.isValidCIDR(text), 'must be a CIDR')

/** CIDRs, separated by commas. Default: none. */
export const networkList = commaList.pipe(z.array(cidr)).prefault('')
