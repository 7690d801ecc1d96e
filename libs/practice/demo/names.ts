import type { Address } from '../entities/entity.events';
import type { Random } from './random';

interface Place {
  city: string;
  region: string;
  /** The first characters of its postcodes. */
  area: string;
}

interface Words {
  given: readonly string[];
  family: readonly string[];
  places: readonly Place[];
  country: string;
  /** The last part of companies' names. */
  endings: readonly string[];
  phone(random: Random): string;
  postcode(area: string, random: Random): string;
}

const words = (text: string) => text.trim().split(/\s+/);

const GIVEN = words(`
  Amelia Oliver Isla George Ava Arthur Grace Harry Freya Thomas Emily Samuel Sophie Daniel Aisha Mohammed Priya Arjun
  Zara Hugo Eleanor Edward Charlotte Benjamin Alice Henry Rosie Leo Imogen Rhys Niamh Callum Fiona Ewan Bronwen Owen
  Yasmin Tariq Chloe Marcus Naomi Felix Harriet Dominic`);

const UK: Words = {
  given: [...GIVEN, ...words('Nigel Gillian Graham Sheila Alistair Moira Gareth Sian Clive Philippa')],
  family: words(`
    Ashworth Barlow Bennett Blackwood Bradshaw Calloway Chaudhry Clarke Cooper Dawson Donnelly Ellis Fairfax Farrow
    Gallagher Goodwin Greenwood Hargreaves Hartley Holloway Hughes Hussain Iqbal Jenkins Kaur Kendall Lambert Langley
    Llewellyn MacKenzie Marsden Mistry Morgan Norris O'Brien Okafor Osborne Parekh Pemberton Prescott Ramsden Redfern
    Rowntree Shah Sinclair Stirling Sutcliffe Thackeray Trevelyan Underwood Vaughan Wainwright Whitaker Yardley`),
  places: [
    { city: 'London', region: 'Greater London', area: 'EC' },
    { city: 'Leeds', region: 'West Yorkshire', area: 'LS' },
    { city: 'Bristol', region: 'Bristol', area: 'BS' },
    { city: 'Manchester', region: 'Greater Manchester', area: 'M' },
    { city: 'Norwich', region: 'Norfolk', area: 'NR' },
    { city: 'Cardiff', region: 'South Glamorgan', area: 'CF' },
    { city: 'York', region: 'North Yorkshire', area: 'YO' },
    { city: 'Exeter', region: 'Devon', area: 'EX' },
  ],
  country: 'United Kingdom',
  endings: ['Ltd', 'Ltd', 'Holdings Ltd', 'plc', 'LLP'],
  // From the numbers that Ofcom reserves for drama.
  phone: (random) => `+44 20 7946 0${random.whole(100, 999)}`,
  postcode: (area, random) =>
    `${area}${random.whole(1, 20)} ${random.whole(1, 9)}${letter(random)}${letter(random)}`,
};

const AU: Words = {
  given: [
    ...GIVEN,
    ...words('Lachlan Matilda Jack Sienna Cooper Ruby Angus Kirra Bruce Sheila Noel Tahlia Banjo'),
  ],
  family: words(`
    Abbott Anderson Bannister Burke Cameron Chen Cleary Costello Delaney Doyle Eastwood Fitzgerald Fraser Georgiou
    Gibbs Hackett Hogan Jamieson Katsaros Kearney Lam Lindsay Macarthur Maguire Mancini McCarthy Mitchell Nguyen
    Nicholls O'Connor Papadopoulos Parkes Patel Quinlan Reid Ridgeway Russo Sandhu Schultz Singh Stanton Sweeney Tran
    Turnbull Vella Walsh Watts Webster Wentworth Wong Woolley Wu Young Zammit`),
  places: [
    { city: 'Sydney', region: 'NSW', area: '20' },
    { city: 'Parramatta', region: 'NSW', area: '21' },
    { city: 'Melbourne', region: 'VIC', area: '30' },
    { city: 'Geelong', region: 'VIC', area: '32' },
    { city: 'Brisbane', region: 'QLD', area: '40' },
    { city: 'Adelaide', region: 'SA', area: '50' },
    { city: 'Perth', region: 'WA', area: '60' },
    { city: 'Hobart', region: 'TAS', area: '70' },
  ],
  country: 'Australia',
  endings: ['Pty Ltd', 'Pty Ltd', 'Pty Ltd', 'Group Pty Ltd', 'Ltd'],
  // From the numbers that the ACMA reserves for drama.
  phone: (random) => `+61 2 5550 ${random.whole(1000, 9999)}`,
  postcode: (area, random) => `${area}${random.whole(10, 99)}`,
};

const STREETS = words(`
  Albert Bridge Castle Chapel Church Elm George Grange Harbour High King Maple Market Mill Orchard Park Queen Regent
  River Station Victoria Wellington`);
const ROADS = ['Street', 'Road', 'Lane', 'Avenue', 'Terrace', 'Close'];
const TRADES = [
  'Bakeries',
  'Builders',
  'Care Homes',
  'Catering',
  'Components',
  'Consulting',
  'Developments',
  'Dental Care',
  'Engineering',
  'Estates',
  'Foods',
  'Freight',
  'Garages',
  'Hotels',
  'Interiors',
  'Joinery',
  'Logistics',
  'Motors',
  'Nurseries',
  'Packaging',
  'Print',
  'Recruitment',
  'Scaffolding',
  'Software',
  'Textiles',
  'Wines',
];

export interface PersonName {
  firstName: string;
  lastName: string;
}

/** Made-up names and addresses of people and companies of a region. */
export class Names {
  private readonly words: Words;

  constructor(
    region: 'uk' | 'au',
    private readonly random: Random,
  ) {
    this.words = region === 'uk' ? UK : AU;
  }

  person(): PersonName {
    const { random, words: own } = this;
    return { firstName: random.pick(own.given), lastName: random.pick(own.family) };
  }

  company(): string {
    const { random, words: own } = this;
    const first = random.chance(0.5)
      ? random.pick(own.family)
      : `${random.pick(STREETS)} ${random.chance(0.3) ? '& ' : ''}${random.pick(own.family)}`;
    return `${first} ${random.pick(TRADES)} ${random.pick(own.endings)}`;
  }

  street(): string {
    const { random } = this;
    return `${random.whole(1, 180)} ${random.pick(STREETS)} ${random.pick(ROADS)}`;
  }

  address(): Address {
    const { random, words: own } = this;
    const { city, region, area } = random.pick(own.places);
    const postcode = own.postcode(area, random);
    return { street: this.street(), city, region, postcode, country: own.country };
  }

  phone(): string {
    return this.words.phone(this.random);
  }

  registration(): string {
    return String(this.random.whole(10_000_000, 99_999_999));
  }

  /** An address at a domain that belongs to nobody (RFC 2606). */
  email({ firstName, lastName }: PersonName): string {
    return `${firstName}.${lastName}@example.com`.toLowerCase().replaceAll("'", '');
  }
}

function letter(random: Random): string {
  return random.pick([...'ABDEFGHJLNPQRSTUWXYZ']);
}
