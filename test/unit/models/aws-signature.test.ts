import {expect, test} from 'vitest';
import {signForAws} from '../../../src/models/aws-signature.ts';
import {HttpHeaders} from '../../../src/models/fetch-classes.ts';

/** Computed with @smithy/signature-v4, and the same with aws4fetch 1.0.20. */
const vectors = [
  {
    url: 'https://bedrock-runtime.eu-central-1.amazonaws.com/anthropic/v1/messages',
    region: 'eu-central-1',
    service: 'bedrock',
    sessionToken: '',
    body: '{"model":"anthropic.claude-opus-4-7","max_tokens":1000}',
    signature: 'ff65a837cf457c7b86f9c6361c914b13ee72da45a0e5c94130083c10e75d27a5',
  },
  {
    url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream',
    region: 'us-east-1',
    service: 'bedrock',
    sessionToken: 'session/token+==',
    body: '{"text":"Grüße, 世界"}',
    signature: '35be16b64ac16a86e842690d6814488b5e56a56c71267164144061da2fdb1ead',
  },
  {
    url: 'https://bedrock-mantle.us-west-2.api.aws/anthropic/v1/messages?beta=true&a=b%20c',
    region: 'us-west-2',
    service: 'bedrock-mantle',
    sessionToken: '',
    body: '',
    signature: 'f8c0a71afb527aba9379b093629c6cfe362aa4d5182847bee0eaddc5eda74c08',
  },
  {
    url: 'http://127.0.0.1:8443/anthropic/v1/messages',
    region: 'us-east-1',
    service: 'bedrock',
    sessionToken: '',
    body: '{}',
    signature: 'f94f7fd6398bc74130a9d1c5df3b2c0938384274d150c8da51087204739aa54a',
  },
];

test.each(vectors)('the signature of a request to $url', ({url, region, service, sessionToken, body, signature}) => {
  const headers = new HttpHeaders({'user-agent': 'weft'});
  const credentials = {
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    sessionToken,
  };
  const now = new Date('2026-11-28T12:34:56Z');
  signForAws({url: new URL(url), method: 'POST', headers, body}, {credentials, region, service, now});
  const more = sessionToken === '' ? '' : ';x-amz-security-token';
  expect(headers.get('authorization')).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261128/${region}/${service}/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date${more}, Signature=${signature}`,
  );
});
